#!/usr/bin/env node
"use strict";
// Starts the program with the same arguments and streams, and ends as it ends.
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { program } = require("../target.js");

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal also sends these to the program; the others are sent only to us.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`applyorder: ${error.message} (was the package's install script run?)`);
  process.exit(127);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
