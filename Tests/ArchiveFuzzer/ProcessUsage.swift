#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The resources that the process has used.
enum ProcessUsage {
  /// The peak memory in bytes; 0 if the system does not report it.
  static var peakMemory: Int {
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss << 10
    #endif
  }

  /// The seconds of processor time.
  static var seconds: Int { Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec) }

  private static var usage: rusage {
    var usage = rusage()
    // RUSAGE_SELF, whose type differs between C libraries. The call cannot fail.
    _ = unsafe getrusage(0, &usage)
    return usage
  }
}
