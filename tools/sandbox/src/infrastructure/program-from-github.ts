// The official release, accepted only with the pinned checksum. A machine that cannot reach it finds out within seconds.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** A release's archives, one for each platform: `linux-amd64`, `darwin-arm64` and so on. */
export type GithubRelease = {
  url(platform: string): string;
  sha256ByPlatform: Readonly<Record<string, string>>;
  /** The path of the program within the archive. */
  path(platform: string): string;
};

/** Downloads the release into `work`, checks it and answers the path of the unpacked program. */
export async function programFromGithub(work: string, release: GithubRelease): Promise<string> {
  const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const sha256 = release.sha256ByPlatform[platform];
  if (!sha256) throw new Error(`no checksum is known for ${platform}`);
  const archive = await download(release.url(platform));
  const actual = createHash("sha256").update(archive).digest("hex");
  if (actual !== sha256) throw new Error(`the download has sha256 ${actual} instead of ${sha256}`);
  const unpacked = join(work, "release");
  mkdirSync(unpacked);
  writeFileSync(join(work, "release.tar.gz"), archive);
  await promisify(execFile)("tar", ["-xzf", join(work, "release.tar.gz"), "-C", unpacked]);
  return join(unpacked, release.path(platform));
}

/** Two bounds: little time until the first byte, so that apt gets its turn soon, and enough for a slow line after it. */
async function download(url: string): Promise<Buffer> {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(new Error("no answer")), firstByteWithinMs);
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(new Error("too slow")), wholeWithinMs);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    const { cause } = error as Error;
    throw cause instanceof Error ? cause : error;
  } finally {
    clearTimeout(timer);
  }
}

const firstByteWithinMs = 4_000;
const wholeWithinMs = 120_000;
