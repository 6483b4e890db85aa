// swift-tools-version: 6.2

import PackageDescription

/// Every target is held to the same rules: Swift 6, no warnings, every unsafe expression marked.
let houseRules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The settings of a new app project, where everything is isolated to the main actor that does not say otherwise.
let appRules: [SwiftSetting] =
  houseRules + [
    .defaultIsolation(MainActor.self),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
  ]

let package = Package(
  name: "swift-keepsake",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Keepsake", targets: ["Keepsake"]),
    .executable(name: "keeputil", targets: ["keeputil"]),
  ],
  targets: [
    .target(
      name: "Keepsake",
      dependencies: ["CKeepsake", "FoundationArchives"],
      swiftSettings: houseRules
    ),
    // Property lists and the object graphs that NSKeyedArchiver writes in them. It knows nothing of the library.
    .target(name: "FoundationArchives", swiftSettings: houseRules),
    // What Swift has no means for, in C and assembly: calls on another stack, several checksums at a time.
    .target(name: "CKeepsake"),
    .executableTarget(
      name: "keeputil",
      dependencies: ["Keepsake", "FoundationArchives"],
      swiftSettings: houseRules
    ),
    .executableTarget(
      name: "keepsake-benchmarks",
      dependencies: ["Keepsake", "AllocationCounting", "HostileArchives", "RandomArchives"],
      path: "Benchmarks",
      exclude: ["Allocations", "Results"],
      swiftSettings: houseRules
    ),
    // Stands between the benchmarks and the allocator of the C library; only they may link it.
    .target(name: "AllocationCounting", path: "Benchmarks/Allocations"),
    // Random graphs and a program made up, for the tests, the benchmarks and the long runs of archive-probe.
    .target(
      name: "RandomArchives",
      dependencies: ["Keepsake"],
      path: "Tests/RandomArchives",
      swiftSettings: houseRules
    ),
    // A second process for the tests that write in one and read in another.
    .executableTarget(
      name: "archive-probe",
      dependencies: ["Keepsake", "HostileArchives", "RandomArchives"],
      path: "Tests/ArchiveProbe",
      swiftSettings: houseRules
    ),
    // Archives that are wrong on purpose, and what reads them: for the tests, the fuzzer and the benchmarks.
    .target(
      name: "HostileArchives",
      dependencies: ["Keepsake"],
      path: "Tests/HostileArchives",
      swiftSettings: houseRules
    ),
    // An ordinary program, and with -DLIBFUZZER the target of libFuzzer (Docs/Testing.md).
    .executableTarget(
      name: "archive-fuzzer",
      dependencies: ["HostileArchives"],
      path: "Tests/ArchiveFuzzer",
      swiftSettings: houseRules
    ),
    // What the tests share: coders of closures, seeds, folders, the programs that they start.
    .target(
      name: "TestSupport",
      dependencies: ["Keepsake", "RandomArchives"],
      path: "Tests/TestSupport",
      resources: [.copy("Fixtures")],
      swiftSettings: houseRules
    ),
    .testTarget(
      name: "KeepsakeTests",
      dependencies: [
        "Keepsake", "CKeepsake", "HostileArchives", "RandomArchives", "TestSupport", "archive-probe",
      ],
      swiftSettings: houseRules
    ),
    .testTarget(
      name: "ContractTests",
      dependencies: ["Keepsake", "HostileArchives", "RandomArchives", "TestSupport", "archive-probe"],
      swiftSettings: houseRules
    ),
    .testTarget(
      name: "GraphTests",
      dependencies: ["Keepsake", "HostileArchives", "RandomArchives", "TestSupport", "archive-probe"],
      swiftSettings: houseRules
    ),
    .testTarget(
      name: "KeeputilTests",
      dependencies: [
        "Keepsake", "HostileArchives", "RandomArchives", "TestSupport", "archive-probe", "keeputil",
      ],
      swiftSettings: houseRules
    ),
    .testTarget(name: "AppTests", dependencies: ["Keepsake"], swiftSettings: appRules),
  ]
)
