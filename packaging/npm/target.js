"use strict";
// Selects the archive of a release for this machine.
const path = require("node:path");

const TARGETS = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};

function target() {
  const key = `${process.platform}-${process.arch}`;
  const found = TARGETS[key];
  if (!found) throw new Error(`applyorder has no release for ${key}`);
  return found;
}

const isWindows = process.platform === "win32";

module.exports = {
  target,
  isWindows,
  program: path.join(__dirname, "bin", isWindows ? "applyorder-program.exe" : "applyorder-program"),
};
