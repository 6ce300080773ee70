import { bundle } from "@holdfast/bundle";

/** The command line of a program of the product, as the image and `npm start` run it. */
export async function holdfast(...args: string[]): Promise<string[]> {
  // A run of tests is of one state of the sources.
  built ??= bundle();
  return [process.execPath, (await built).holdfast, ...args];
}

let built: ReturnType<typeof bundle> | undefined;
