import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** @param further arguments of Chromium. */
export function launchChromium(further: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      // Chromium's own sandbox does not work for root.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ...further,
    ],
  });
}

/** @throws if there is none, with the remedy. */
function findChromium(): string {
  const candidates = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const found = candidates.find((path) => path !== undefined && existsSync(path));
  if (found) return found;
  throw new Error(
    "no browser: apt-get install --no-install-recommends chromium, or name one in the environment variable CHROMIUM",
  );
}
