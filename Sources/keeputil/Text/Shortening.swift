/// The text if it is short enough, otherwise its start and a sign that there is more.
func shortened(_ text: String, _ most: Int) -> String {
  // Nothing is counted beyond what is shown: a text may have a hundred megabytes.
  guard let end = text.index(text.startIndex, offsetBy: most, limitedBy: text.endIndex), end < text.endIndex
  else {
    return text
  }
  return text[..<end] + "…"
}

/// The middle of a long text left out: of a path and of the name of a type the end matters as much as the start.
func abridged(_ text: String, _ most: Int) -> String {
  guard text.count > most else { return text }
  let tail = (most - 1) * 2 / 3
  return text.prefix(most - 1 - tail) + "…" + text.suffix(tail)
}
