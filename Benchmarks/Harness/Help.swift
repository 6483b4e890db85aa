extension Options {
  /// The text that `--help` prints.
  static let help = """
    USAGE: swift run -c release keepsake-benchmarks [options]

    Times Keepsake against other coders, the floor of Codable and plain copying,
    all in turns, and prints medians, ratios, sizes and allocations.

      --workload NAME   run this workload only (may be repeated; see --list)
      --small           run the workloads of small archives: one for each value
      --rounds N        time each contender N times (default 11)
      --quick           a tenth of the data, three rounds unless --rounds is given
      --divide N        one Nth of the data
      --tweets FILE     take the statuses of this JSON file for `tweets`
      --markdown FILE   write the tables to FILE as Markdown, too
      --results FOLDER  write Results.md and charts of times and sizes to FOLDER

      --counts          instead of timing, count the allocations of Keepsake and of
                        the floor and, if valgrind is installed, their instructions
      --write FILE      keep these counts in FILE
      --compare FILE    count Keepsake's alone and compare them with FILE; status 1
                        if it got worse

      --profile NAME    run this contender of one workload alone, without timing,
                        for `perf` and `valgrind`; with --direction and --operations
      --direction D     encode or decode (default both)
      --operations N    how often (default 1; 0 only prepares)

      --scale [N]       instead of timing workloads, cost and memory for up to N objects
                        (default 10000000), and what a small part of 1 GB costs

      --documents [N]   what saves of a document of N objects cost (default 1000000),
                        and opening one and reading a part of it

      --first           what the first value costs in a new process

      --hostile [N]     what archives cost that were made to do harm, up to N bytes large
                        (default 10000000)

      --list            print the names of the workloads
      --help            print this text
    """
}
