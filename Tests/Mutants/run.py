#!/usr/bin/env python3
"""Takes the checks of the reader out one by one and looks whether a test fails (Docs/Testing.md).

    Tests/Mutants/run.py [--scratch FOLDER] [--jobs N] [--only TEXT] [--survivors] [--without SUITES]

    --scratch FOLDER   where the rewritten copy of the package is built, and where the results are kept
    --jobs N           how many test processes run at once; 1 unless told
    --only TEXT        only the checks whose file or condition has TEXT in it
    --survivors        only those that nothing caught the last time, or that are new
    --without SUITES   leave out the suites whose names match, such as those that take minutes

The copy is built once. Then each suite runs by itself with all checks in place: it must pass, and it tells which checks
it comes by and how long it takes. For each mutant only the suites that come by its check are run, the quick ones first,
and no longer than to the first failure. A crash, and a run that takes much longer, are failures too.

Prints a table of all checks. Exits with 1 when fewer than nine in ten are caught.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

# Nothing is to be written beside the sources.
sys.dont_write_bytecode = True

from schemata import Rewriter

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = "Sources/Keepsake/"
LAYERS = ["Wire", "Tables", "Types", "Image", "Decoding", "Values", "Translation"]
# A target of its own, all of which is about what is read.
READER = "Sources/FoundationArchives/"
# What else decides what is read.
FILES = [
    "Archiver/KeyedUnarchiver.swift", "Archiver/ArchiveBytes.swift", "Archiver/ArchiveEditor.swift",
    "Archiver/ArchiveValueReading.swift",
]
# Files of these layers that are about writing, or about the program and not an archive.
EXCLUDED = ["Wire/LargerStack.swift", "Assembly/StringSharing.swift"]
# Here a name, a number or a signature is turned down by `nil` or `false`, which the caller makes an error of.
TURNED_DOWN = [
    "Types/Names/RuntimeTypes.swift", "Types/Names/TypeName.swift", "Types/Names/ClassNames.swift",
    "Wire/ByteReader.swift", "Sources/FoundationArchives/XMLPropertyListReader.swift",
]
# Suites that take no longer, in seconds, are run together, before the others.
QUICK = 5.0
# Among the quick ones these are run before all others: they are about what a reader rejects.
FIRST = re.compile(r".*(Faults|Bounds|Extents|Checksums)|Crafted.*|Typed.*|Conditional.*|RuntimeTypes.*|Damage|Old(Damage|Limits)")
LEAST = 0.9

SWITCH = """
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

private let numberThatIsOut = getenv("KEEPSAKE_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
private let trace = getenv("KEEPSAKE_MUTANT_TRACE").map { open($0, O_WRONLY | O_APPEND | O_CREAT, 0o600) } ?? -1
private struct Seen: @unchecked Sendable {
  let flags: UnsafeMutablePointer<UInt8> = {
    let flags = UnsafeMutablePointer<UInt8>.allocate(capacity: COUNT)
    flags.initialize(repeating: 0, count: COUNT)
    return flags
  }()
}
private let seen = Seen()

/// Whether the check of that number is to be left out. Notes that it was come by, where that is asked for.
func mutantIsOut(_ number: Int) -> Bool {
  if trace >= 0, seen.flags[number] == 0 {
    seen.flags[number] = 1
    let line = Array("\\(number)\\n".utf8)
    _ = write(trace, line, line.count)
  }
  return number == numberThatIsOut
}
"""


# The rewritten copy


def package_files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=PACKAGE, capture_output=True, text=True, check=True,
    )
    return [name for name in listed.stdout.splitlines() if (PACKAGE / name).is_file()]


def write_if_changed(path, content):
    """So that what is the same is not built anew."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def is_rewritten(name):
    if name.startswith(READER):
        return name.endswith(".swift")
    short = name.removeprefix(LIBRARY)
    if name == short or not name.endswith(".swift") or short in EXCLUDED:
        return False
    return short.split("/")[0] in LAYERS or short in FILES


def make_copy(copy):
    rewriter = Rewriter(also_nil=TURNED_DOWN)
    checks, skipped = [], []
    names = package_files()
    for name in names:
        content = (PACKAGE / name).read_bytes()
        if is_rewritten(name):
            result = rewriter.rewrite(name.removeprefix(LIBRARY), content.decode())
            checks += result.checks
            skipped += result.skipped
            content = result.text.encode()
        if name == "Package.swift":
            # The rewritten conditions are not written for the eye, and the switch is unsafe.
            content = re.sub(rb"\n *\.(strictMemorySafety|treatAllWarnings)\(.*\),", b"", content)
        write_if_changed(copy / name, content)
    # Each module has its own.
    switches = [LIBRARY + "Wire/Mutants.swift", READER + "Mutants.swift"]
    for switch in switches:
        write_if_changed(copy / switch, SWITCH.replace("COUNT", str(len(checks) + 1)).encode())
    for folder in ["Sources", "Tests"]:
        for path in list((copy / folder).rglob("*")):
            name = str(path.relative_to(copy))
            if path.is_file() and name not in names and name not in switches:
                path.unlink()
    return checks, skipped


def build(copy):
    subprocess.run(["swift", "build", "--build-tests"], cwd=copy, check=True, stdout=sys.stderr)
    bin_path = subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=copy, check=True, capture_output=True, text=True
    )
    return next(pathlib.Path(bin_path.stdout.strip()).glob("*.xctest"))


# Running tests


class Run:
    """The outcome of some suites: the place of the first failure, `crash`, `timeout`, or nothing."""

    def __init__(self, binary, suites, environment, limit):
        pattern = r"^\w+\.(" + "|".join(suites) + ")/"
        self.failure = None
        began = time.monotonic()
        process = subprocess.Popen(
            [binary, "--testing-library", "swift-testing", "--filter", pattern],
            env={**os.environ, **environment, "KEEPSAKE_SEED": "1"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", start_new_session=True,
        )
        timer = threading.Timer(limit, self.stop, [process, "timeout"])
        timer.start()
        for line in process.stdout:
            match = re.search(r"recorded an issue.* at (\w+\.swift:\d+)", line)
            match = match or re.search(r"(?:Test|Suite) (.*?) failed after", line)
            if match:
                self.stop(process, match.group(1))
        process.wait()
        timer.cancel()
        if process.returncode != 0 and self.failure is None:
            self.failure = f"crash (signal {-process.returncode})" if process.returncode < 0 else "failure"
        self.seconds = time.monotonic() - began

    def stop(self, process, failure):
        if self.failure is None:
            self.failure = failure
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def list_suites(binary):
    listed = subprocess.run(
        [binary, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True, check=True
    )
    return sorted({line.split("/")[0].split(".")[1] for line in listed.stdout.splitlines() if "/" in line})


def survey(binary, jobs, folder, without):
    """For each suite how long it takes and which checks it comes by, with none of them out."""
    kept = folder / "survey.json"
    built = str(binary.stat().st_mtime_ns) + without
    if kept.exists():
        known = json.loads(kept.read_text())
        if known["built"] == built:
            return {suite: (seconds, set(numbers)) for suite, (seconds, numbers) in known["suites"].items()}

    def look(suite):
        trace = folder / f"{suite}.trace"
        trace.unlink(missing_ok=True)
        run = Run(binary, [suite], {"KEEPSAKE_MUTANT_TRACE": str(trace)}, 600)
        if run.failure:
            raise SystemExit(f"mutants: {suite} fails although every check is in place: {run.failure}")
        numbers = {int(line) for line in trace.read_text().split()} if trace.exists() else set()
        trace.unlink(missing_ok=True)
        return suite, (run.seconds, numbers)

    names = [name for name in list_suites(binary) if not (without and re.fullmatch(without, name))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        suites = dict(pool.map(look, names))
    plain = {suite: (seconds, sorted(numbers)) for suite, (seconds, numbers) in suites.items()}
    kept.write_text(json.dumps({"built": built, "suites": plain}))
    return suites


def catch(binary, number, suites):
    """Who notices that the check is out; nothing when nobody does."""
    useful = sorted((s for s in suites if number in suites[s][1]), key=lambda s: suites[s][0])
    first = [s for s in useful if suites[s][0] <= QUICK and FIRST.fullmatch(s)]
    quick = [s for s in useful if suites[s][0] <= QUICK and s not in first]
    slow = [s for s in useful if suites[s][0] > QUICK]
    for batch in filter(None, [first, quick, slow]):
        limit = 60 + 5 * sum(suites[s][0] for s in batch)
        failure = Run(binary, batch, {"KEEPSAKE_MUTANT": str(number)}, limit).failure
        if failure:
            return failure
    return None


# The results


def keyed(checks):
    """Each check under what tells it from the others also when lines have moved."""
    found, counts = {}, {}
    for check in checks:
        base = f"{check.file} {check.kind} {check.text}"
        counts[base] = counts.get(base, 0) + 1
        found[f"{base} #{counts[base]}"] = check
    return found


def report(checks, results, skipped, suites):
    lines = ["| check | | caught by |", "| --- | --- | --- |"]
    for key, check in checks.items():
        outcome = results.get(key, "not run")
        text = check.text.replace("|", "\\|")
        lines.append(f"| {check.file}:{check.line} | `{text}` | {outcome or '**nobody**'} |")
    caught = sum(1 for key in checks if results.get(key))
    lines += ["", f"{caught} of {len(checks)} are caught, {100 * caught / len(checks):.1f} %.", ""]
    lines += ["Errors that no condition guards, or only whether there is a value, and which stay:", ""]
    lines += [f"- {file}:{line} `{text[:100]}`" for file, line, text in skipped]
    return "\n".join(lines) + "\n", caught


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scratch", type=pathlib.Path, default=PACKAGE / ".build/mutants")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--without", default="")
    arguments = parser.parse_args()
    scratch = arguments.scratch.resolve()
    copy = scratch / "package"
    copy.mkdir(parents=True, exist_ok=True)
    listed, skipped = make_copy(copy)
    checks = keyed(listed)
    binary = build(copy)
    suites = survey(binary, arguments.jobs, scratch, arguments.without)
    kept = scratch / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    results = {key: outcome for key, outcome in results.items() if key in checks}
    chosen = [
        key for key in checks
        if arguments.only in key and not (arguments.survivors and results.get(key))
    ]

    def work(key):
        return key, catch(binary, checks[key].number, suites)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(work, key) for key in chosen]):
            key, outcome = done.result()
            results[key] = outcome
            kept.write_text(json.dumps(results, indent=1))
            check = checks[key]
            print(f"{check.file}:{check.line} {check.text}: {outcome or 'SURVIVED'}", file=sys.stderr, flush=True)
    text, caught = report(checks, results, skipped, suites)
    (scratch / "report.md").write_text(text)
    print(text)
    sys.exit(caught < LEAST * len(checks))


if __name__ == "__main__":
    main()
