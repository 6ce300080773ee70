// For `globalSetup` in a vitest configuration: the workers of a run find the bundle, instead of building one each.
import { bundle } from "@holdfast/bundle";

export async function setup(): Promise<void> {
  await bundle();
}
