import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments, stringify } from "yaml";
import { findKustomize } from "./find-tool.ts";
import type { Manifest } from "./manifest.ts";

export const deployDir = join(import.meta.dirname, "..", "..", "deploy");

export const OVERLAYS = ["development", "production", "production-managed-postgres", "small"] as const;
export type Overlay = (typeof OVERLAYS)[number];

/**
 * The resources that `kubectl apply -k` would send, for a shipped overlay or a platform team's own one.
 *
 * @throws kustomize's own message, if it does not build.
 */
export async function buildOverlay(
  overlay: Overlay,
  components: readonly string[] = [],
): Promise<Manifest[]> {
  const own = await mkdtemp(join(tmpdir(), "holdfast-overlay-"));
  try {
    const from = (...path: string[]) => relative(own, join(deployDir, "k8s", ...path));
    const kustomization = {
      resources: [from("overlays", overlay)],
      components: components.map((component) => from("components", component)),
    };
    await writeFile(join(own, "kustomization.yaml"), stringify(kustomization));
    return await build(components.length === 0 ? join(deployDir, "k8s", "overlays", overlay) : own);
  } finally {
    await rm(own, { recursive: true });
  }
}

/** Builds an installation's own overlay, placed beside ours. @param text its kustomization.yaml */
export async function buildBeside(text: string): Promise<Manifest[]> {
  const own = await mkdtemp(join(tmpdir(), "holdfast-overlay-"));
  try {
    const ours = relative(own, join(deployDir, "k8s", "overlays"));
    await writeFile(join(own, "kustomization.yaml"), text.replaceAll("../", `${ours}/`));
    return await build(own);
  } finally {
    await rm(own, { recursive: true });
  }
}

async function build(kustomization: string): Promise<Manifest[]> {
  const [program = "", ...args] = await findKustomize();
  const { stdout } = await promisify(execFile)(program, [...args, kustomization], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}
