// The `globalSetup` of a vitest configuration that builds the bundle once, so that the workers need not build
// one each.
import { bundle } from "@holdfast/bundle";

export async function setup(): Promise<void> {
  await bundle();
}
