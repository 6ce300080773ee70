import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One piece of a file's text in place of another. */
export type Change = { file: string; search: string; replace: string };

/** A copy of the repository to break, so that the one people work in is never touched. */
export type MutantWorkspace = {
  root: string;
  /**
   * @throws if a text to change does not occur exactly once: the mutant would silently equal the original.
   */
  apply(changes: readonly Change[]): void;
  restore(): void;
  remove(): void;
};

export function createMutantWorkspace(repository: string): MutantWorkspace {
  const root = mkdtempSync(join(tmpdir(), `holdfast-test-${process.pid}-mutant-`));
  // `docs` and `deploy` too: services serve the guides and read the mappings of settlement files.
  for (const folder of ["services", "packages", "tools", "docs", "deploy"]) {
    cpSync(join(repository, folder), join(root, folder), { recursive: true, verbatimSymlinks: true });
  }
  for (const file of ["package.json", "package-lock.json", "tsconfig.json", "vitest.config.ts"])
    cpSync(join(repository, file), join(root, file));
  linkModules(repository, root);
  let originals: { path: string; text: string }[] = [];
  return {
    root,
    apply(changes) {
      for (const { file, search, replace } of changes) {
        const path = join(root, file);
        const text = readFileSync(path, "utf8");
        const found = text.split(search).length - 1;
        if (found !== 1) throw new Error(`${file} has the text to mutate ${found} times: ${search}`);
        originals.push({ path, text });
        // A function, because `$` in a replacement's text would have a special meaning.
        writeFileSync(
          path,
          text.replace(search, () => replace),
        );
      }
    },
    restore() {
      for (const { path, text } of originals.toReversed()) writeFileSync(path, text);
      originals = [];
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Links external packages to the repository's, and our own packages to the copies. */
function linkModules(repository: string, root: string): void {
  const modules = join(repository, "node_modules");
  mkdirSync(join(root, "node_modules", SCOPE), { recursive: true });
  for (const name of readdirSync(modules).filter((name) => name !== SCOPE)) {
    symlinkSync(join(modules, name), join(root, "node_modules", name));
  }
  for (const folder of ["services", "packages", "tools"]) {
    for (const name of readdirSync(join(root, folder))) {
      symlinkSync(join(root, folder, name), join(root, "node_modules", SCOPE, name));
    }
  }
}

const SCOPE = "@holdfast";
