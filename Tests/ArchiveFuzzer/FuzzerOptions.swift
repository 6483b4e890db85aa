internal import HostileArchives

#if !LIBFUZZER
  /// The options of the program.
  struct FuzzerOptions {
    struct Refusal: Error {
      let message: String
    }

    static let usage = """
      archive-fuzzer [--mutants N] [--kind raw|repaired|structure] [--seed N] [--corpus FOLDER] [--save-to FOLDER]
      archive-fuzzer --read FILE...       reads the files as everything, or as one model
      archive-fuzzer --write-seeds FOLDER writes the archives that mutants are made from

        --mutants N      how many; 100,000 by default
        --kind KIND      how they are made: raw, repaired (the default) or structure
        --seed N         the numbers of a run; by default chosen, and printed
        --corpus FOLDER  more archives to make mutants from
        --save-to FOLDER where inputs are kept that failed; the current folder by default
        --first N        the number of the first mutant, to continue where a run ended
        --model NAME     only this model; also one that may trap by itself

      Exit status: 0, 1 when an input failed, 2 for a wrong command line.
      """

    var mutants = 100_000
    var kind = MutantSource.Kind.repaired
    var seed = UInt64.random(in: 0 ... .max)
    var corpus: String?
    var folder = "."
    var first = 0
    var model: String?
    var files: [String] = []
    var seedFolder: String?
    /// The journal of a process that reads mutants; `nil` for its parent.
    var journal: String?

    init(_ arguments: [String]) throws(Refusal) {
      var rest = arguments[...]
      while let option = rest.popFirst() {
        switch option {
        case "--mutants": mutants = try FuzzerOptions.number(option, rest.popFirst())
        case "--first": first = try FuzzerOptions.number(option, rest.popFirst())
        case "--seed": seed = try FuzzerOptions.number(option, rest.popFirst())
        case "--kind":
          guard let kind = rest.popFirst().flatMap({ MutantSource.Kind(rawValue: $0) }) else {
            throw Refusal(message: "--kind needs raw, repaired or structure")
          }
          self.kind = kind
        case "--corpus": corpus = try FuzzerOptions.text(option, rest.popFirst())
        case "--save-to": folder = try FuzzerOptions.text(option, rest.popFirst())
        case "--model": model = try FuzzerOptions.text(option, rest.popFirst())
        case "--journal": journal = try FuzzerOptions.text(option, rest.popFirst())
        case "--write-seeds": seedFolder = try FuzzerOptions.text(option, rest.popFirst())
        case "--read":
          files = Array(rest.prefix { !$0.hasPrefix("--") })
          rest = rest.dropFirst(files.count)
          if files.isEmpty { throw Refusal(message: "--read needs a file") }
        default: throw Refusal(message: "There is no option \(option)")
        }
      }
    }

    private static func text(_ option: String, _ value: String?) throws(Refusal) -> String {
      guard let value else { throw Refusal(message: "\(option) needs a value") }
      return value
    }

    private static func number<Number: FixedWidthInteger>(
      _ option: String,
      _ value: String?
    ) throws(Refusal) -> Number {
      guard let number = value.flatMap({ Number($0) }), number >= 0 else {
        throw Refusal(message: "\(option) needs a number")
      }
      return number
    }

    /// The models that mutants are read as.
    var models: [HostileModel] {
      model.map { name in HostileModel.all.filter { $0.name == name } } ?? HostileModel.all
    }

    /// The archives that mutants are made from: those of the chosen model, if it has any.
    func seeds() throws -> [SeedArchive] {
      let seeds = try SeedArchives.make()
      let own = seeds.filter { seed in model.map { $0 == seed.model?.name } ?? true }
      return (own.isEmpty ? seeds : own) + (try corpus.map { try SeedArchives.files(in: $0) } ?? [])
    }

    /// The mutants of the run.
    func source() throws -> MutantSource {
      MutantSource(kind, seed: seed, seeds: try seeds(), models: models)
    }
  }
#endif
