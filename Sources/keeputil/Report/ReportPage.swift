import Foundation

/// The page around the data of a report: its frame, its style and its script, all in one file.
enum ReportPage {
  /// Writes the page. `data` writes the content of the element with the data.
  static func write(_ name: String, to output: any Output, _ data: () throws -> Void) throws {
    let title = respelled(displayed(name)) { scalar, _ in scalar == "'" ? "&#39;" : scalar.entity }
    try output.write(head(title: title))
    try output.write(body)
    try output.write("<script type=\"application/json\" id=\"data\">")
    try data()
    try output.write("</script>\n<script>\(ReportScript.text)</script>\n</body>\n</html>\n")
  }

  /// The page loads and sends nothing, and only its own script and style apply, which have these hashes. So a text of
  /// an archive could do nothing even if it were parsed as HTML.
  static var policy: String {
    "default-src 'none'; style-src '\(source(ReportStyle.text))'; script-src '\(source(ReportScript.text))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  private static func source(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(text.utf8)).base64EncodedString()
  }

  private static func head(title: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <meta name="generator" content="keeputil report">
    <title>\(title) – Keepsake archive</title>
    <style>\(ReportStyle.text)</style>
    </head>

    """
  }

  private static let body = """
    <body>
    <header class="top">
    <div class="brand" aria-hidden="true"></div>
    <div class="titles"><p class="eyebrow">Keepsake archive</p><h1 id="name"></h1></div>
    </header>
    <noscript><p class="note">This page draws itself with a script of its own. Please allow it, or use keeputil stats.</p></noscript>
    <main>
    <section aria-label="Facts"><dl id="facts" class="facts"></dl></section>
    <section class="card" aria-labelledby="map-title">
    <div class="bar">
    <h2 id="map-title">Where the bytes go</h2>
    <div class="switch" role="group" aria-label="Arrange">
    <button type="button" id="by-path" aria-pressed="true">By path</button>
    <button type="button" id="by-class" aria-pressed="false">By class</button>
    </div>
    </div>
    <nav id="crumbs" class="crumbs" aria-label="Path in the map"></nav>
    <div id="map" class="map" role="group" aria-label="Map of bytes. Arrow keys move, Enter opens, Escape goes back."></div>
    <div id="picked" class="picked" aria-live="polite"></div>
    <div class="bar below"><ul id="legend" class="legend" aria-label="Colours"></ul><p id="folded" class="quiet"></p></div>
    </section>
    <div class="columns">
    <div>
    <section class="card" aria-labelledby="parts-title"><h2 id="parts-title">The file, from start to end</h2><div id="strip" class="strip" aria-hidden="true"></div><div id="parts"></div></section>
    <section class="card" aria-labelledby="values-title"><h2 id="values-title">Largest values</h2><div id="values"></div></section>
    <section class="card" aria-labelledby="sharing-title"><h2 id="sharing-title">Sharing</h2><p id="sharing"></p><div id="shared"></div></section>
    </div>
    <div>
    <section class="card" aria-labelledby="classes-title"><h2 id="classes-title">Classes</h2><div id="classes"></div></section>
    <section class="card" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><div id="keys"></div></section>
    <section class="card" aria-labelledby="objects-title"><h2 id="objects-title">Largest objects</h2><div id="objects"></div></section>
    <section class="card" aria-labelledby="kinds-title"><h2 id="kinds-title">Kinds of values</h2><div id="kinds"></div></section>
    </div>
    </div>
    <section class="card" aria-labelledby="tree-title">
    <div class="bar"><h2 id="tree-title">All values</h2><button type="button" id="collapse" class="plain">Close all</button></div>
    <ul id="tree" class="tree"></ul>
    </section>
    </main>
    <footer><p>Made by keeputil report. The page needs no network and sends nothing.</p></footer>
    <div id="tip" class="tip" role="tooltip" hidden></div>

    """
}
