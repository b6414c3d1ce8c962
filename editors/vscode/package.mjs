// Packs applyorder.vsix. With APPLYORDER_CARRY=PROGRAM the package carries that program and is one for this platform only.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const { APPLYORDER_CARRY: program, npm_config_out: out = "applyorder.vsix" } = process.env;
const carried = join("server", process.platform === "win32" ? "applyorder.exe" : "applyorder");
rmSync("server", { recursive: true, force: true });
const target = [];
if (program) {
  mkdirSync("server");
  copyFileSync(program, carried);
  chmodSync(carried, 0o755);
  target.push("--target", `${process.platform}-${process.arch}`);
}
try {
  execFileSync(process.execPath, [join("node_modules", "@vscode", "vsce", "vsce"), "package", "--no-dependencies", "--allow-unused-files-pattern", ...target, "--out", out], {
    stdio: "inherit",
  });
} finally {
  rmSync("server", { recursive: true, force: true });
}
