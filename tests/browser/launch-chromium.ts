import { existsSync } from "node:fs";

/** @throws where there is none, with the remedy. */
export function findChromium(): string {
  const candidates = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const found = candidates.find((path) => path !== undefined && existsSync(path));
  if (found) return found;
  throw new Error(
    "no browser: apt-get install --no-install-recommends chromium, or name one in the environment variable CHROMIUM",
  );
}
