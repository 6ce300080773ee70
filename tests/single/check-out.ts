import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

export type Checkout = {
  git(...args: string[]): string;
  /** Commits a change; returns the revision to update to. The checked-out revision stays the same. */
  nextRevision(file: string, content: string): string;
};

/** The files of this checkout as they are now, as a repository of their own: a release is a commit that is checked out. */
export function checkOut(directory: string): Checkout {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(join(root, name))))
    cpSync(join(root, file), join(directory, file), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.test", ...args], {
      cwd: directory,
      encoding: "utf8",
    }).trim();
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Release");
  const ofTheProxy = process.env["NODE_EXTRA_CA_CERTS"];
  const trusted = join(directory, "deploy", "build-certificates", "node-extra-ca-certs.crt");
  if (ofTheProxy && existsSync(ofTheProxy)) copyFileSync(ofTheProxy, trusted);
  return {
    git,
    nextRevision(file, content) {
      const before = git("rev-parse", "HEAD");
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      appendFileSync(join(directory, file), content);
      git("add", "--all");
      git("commit", "--quiet", "--message", "Next");
      const revision = git("rev-parse", "HEAD");
      git("checkout", "--quiet", "--detach", before);
      return revision;
    },
  };
}
