import { join } from "node:path";

/** Defined by the bundler: a bundle has copies of its assets beside it, under the same paths. */
declare const BUNDLED: true | undefined;

const root =
  typeof BUNDLED === "undefined" ? join(import.meta.dirname, "..", "..", "..") : import.meta.dirname;

/**
 * A file or folder that a program reads at run time.
 *
 * @param path from the repository's root, written as a literal: the bundler finds what to copy by reading these calls
 */
export function assetPath(path: string): string {
  return join(root, path);
}
