#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What the process has taken of the machine.
enum ProcessUsage {
  /// The most memory that it has had, in bytes; 0 where the system does not tell.
  static var peakMemory: Int {
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss << 10
    #endif
  }

  /// How long it has been computing.
  static var seconds: Int { Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec) }

  private static var usage: rusage {
    var usage = rusage()
    // RUSAGE_SELF, which has another type in each C library. It does not fail.
    _ = unsafe getrusage(0, &usage)
    return usage
  }
}
