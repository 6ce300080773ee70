import manifest from "../package.json" with { type: "json" };

/** The version of Holdfast that this process is of: the packages of a release have one version. */
export const VERSION: string = manifest.version;
