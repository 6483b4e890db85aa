// swift-tools-version: 6.2

import PackageDescription

// A separate package, since SwiftPM links a dynamic library only from another package.
let package = Package(
  name: "MatrixModel",
  products: [.library(name: "MatrixModel", type: .dynamic, targets: ["MatrixModel"])],
  targets: [.target(name: "MatrixModel")]
)
