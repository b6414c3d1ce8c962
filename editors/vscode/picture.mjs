// The page around a picture is the one of `applyorder graph --format html`: its script and style sheets go into dist.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

mkdirSync("dist", { recursive: true });
for (const file of ["page.js", "page.css", "style.css"]) copyFileSync(join("..", "..", "drawing", "src", file), join("dist", file));
