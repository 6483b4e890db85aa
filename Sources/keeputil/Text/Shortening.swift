/// The text if it is short enough, otherwise its start and a sign that there is more.
func shortened(_ text: String, _ most: Int) -> String { start(of: text, most).map { $0 + "…" } ?? text }

/// The first `most` scalars of a longer text; `nil` of one that has no more.
///
/// Nothing is counted beyond what is shown, since a text may have a hundred megabytes; and scalars are, since one
/// character may have them all.
private func start(of text: String, _ most: Int) -> String? {
  let scalars = text.unicodeScalars
  guard let end = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
    end < scalars.endIndex
  else { return nil }
  return String(scalars[..<end])
}

/// The text in quotes, with escapes; of a longer one the start, and how long it is.
func quoted(_ text: String, _ most: Int) -> String {
  guard most < .max, let start = start(of: text, most) else { return quoted(text) }
  return "\(quoted(start))… \(counted(text.utf8.count, "byte"))"
}

/// The middle of a long text left out: of a path and of the name of a type the end matters as much as the start.
func abridged(_ text: String, _ most: Int) -> String {
  guard text.count > most else { return text }
  let tail = (most - 1) * 2 / 3
  return text.prefix(most - 1 - tail) + "…" + text.suffix(tail)
}
