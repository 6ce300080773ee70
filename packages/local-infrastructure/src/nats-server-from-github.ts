// The official release, accepted only with the pinned checksum. A machine that cannot reach it finds out within seconds.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Downloads the release into `work`, checks it and answers the path of the unpacked program. */
export async function natsServerFromGithub(work: string): Promise<string> {
  const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const sha256 = sha256ByPlatform[platform];
  if (!sha256) throw new Error(`no checksum is known for ${platform}`);
  const archive = await download(
    `https://github.com/nats-io/nats-server/releases/download/v${version}/nats-server-v${version}-${platform}.tar.gz`,
  );
  const actual = createHash("sha256").update(archive).digest("hex");
  if (actual !== sha256) throw new Error(`the download has sha256 ${actual} instead of ${sha256}`);
  const unpacked = join(work, "release");
  mkdirSync(unpacked);
  writeFileSync(join(work, "release.tar.gz"), archive);
  await promisify(execFile)("tar", [
    "-xzf",
    join(work, "release.tar.gz"),
    "-C",
    unpacked,
    "--strip-components=1",
  ]);
  return join(unpacked, "nats-server");
}

const version = "2.14.5";
const sha256ByPlatform: Record<string, string> = {
  "linux-amd64": "5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355",
  "linux-arm64": "673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c",
  "darwin-amd64": "f95c98d6b6ed2b63c5681b46b092c9585c99767d547cf495730c329234625e96",
  "darwin-arm64": "ddd907854d9a2de834af133fa396915fe6442fe6d8909ae31390d1ea7a0fea50",
};

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
