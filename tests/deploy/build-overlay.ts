import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { findKustomize } from "./find-tool.ts";
import type { Manifest } from "./manifest.ts";

export const deployDir = join(import.meta.dirname, "..", "..", "deploy");

export const OVERLAYS = ["development", "production", "production-managed-postgres"] as const;
export type Overlay = (typeof OVERLAYS)[number];

/** The resources that `kubectl apply -k` would send. @throws what kustomize says, when it does not build. */
export async function buildOverlay(overlay: Overlay): Promise<Manifest[]> {
  const [program = "", ...args] = await findKustomize();
  const { stdout } = await promisify(execFile)(
    program,
    [...args, join(deployDir, "k8s", "overlays", overlay)],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}
