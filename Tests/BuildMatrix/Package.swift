// swift-tools-version: 6.2

import PackageDescription

// The identity of a package with a path is the name of its folder, which may differ in each checkout.
let folders = Context.packageDirectory.split(separator: "/")
let keepsake = String(folders.dropLast(2).last ?? "swift-keepsake")

let package = Package(
  name: "BuildMatrix",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "matrix-plain", targets: ["matrix-plain"]),
    .executable(name: "matrix-host", targets: ["matrix-host"]),
    .executable(name: "matrix-with", targets: ["matrix-with"]),
    .executable(name: "matrix-without", targets: ["matrix-without"]),
    .library(name: "MatrixPlugin", type: .dynamic, targets: ["MatrixPlugin"]),
  ],
  dependencies: [.package(path: "../.."), .package(path: "Model")],
  targets: [
    .target(name: "MatrixZoo"),
    .executableTarget(
      name: "matrix-plain",
      dependencies: ["MatrixZoo", .product(name: "Keepsake", package: keepsake)]
    ),
    // The same program with and without the library, to measure the difference in size.
    .executableTarget(name: "matrix-with", dependencies: [.product(name: "Keepsake", package: keepsake)]),
    .executableTarget(name: "matrix-without"),
    // The plug-in and the host share MatrixModel, and each has its own copy of MatrixZoo and Keepsake.
    .target(
      name: "MatrixPlugin",
      dependencies: [
        "MatrixZoo", .product(name: "MatrixModel", package: "Model"),
        .product(name: "Keepsake", package: keepsake),
      ]
    ),
    .executableTarget(
      name: "matrix-host",
      dependencies: [
        "MatrixZoo", .product(name: "MatrixModel", package: "Model"),
        .product(name: "Keepsake", package: keepsake),
      ]
    ),
  ]
)
