// swift-tools-version: 6.2

import PackageDescription

// A package of its own, since SwiftPM links a dynamic library only where it comes from another package.
let package = Package(
  name: "MatrixModel",
  products: [.library(name: "MatrixModel", type: .dynamic, targets: ["MatrixModel"])],
  targets: [.target(name: "MatrixModel")]
)
