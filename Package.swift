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

let package = Package(
  name: "swift-keepsake",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Keepsake", targets: ["Keepsake"]),
    .executable(name: "keeputil", targets: ["keeputil"]),
  ],
  targets: [
    .target(name: "Keepsake", swiftSettings: houseRules),
    .executableTarget(name: "keeputil", dependencies: ["Keepsake"], swiftSettings: houseRules),
    .executableTarget(
      name: "keepsake-benchmarks",
      dependencies: ["Keepsake", "AllocationCounting"],
      path: "Benchmarks",
      exclude: ["Allocations", "Results"],
      swiftSettings: houseRules
    ),
    // Stands between the benchmarks and the allocator of the C library; only they may link it.
    .target(name: "AllocationCounting", path: "Benchmarks/Allocations"),
    // A second process for the tests that write in one and read in another.
    .executableTarget(
      name: "archive-probe",
      dependencies: ["Keepsake"],
      path: "Tests/ArchiveProbe",
      swiftSettings: houseRules
    ),
    .testTarget(
      name: "KeepsakeTests",
      dependencies: ["Keepsake", "archive-probe", "keeputil"],
      resources: [.copy("Fixtures")],
      swiftSettings: houseRules
    ),
  ]
)
