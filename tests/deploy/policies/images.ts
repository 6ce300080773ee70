import { containers, imageNameOf, ofKind, workloads, type Manifest, type Workload } from "../manifest.ts";

/**
 * The images that an installation builds itself, by the last part of their name. Their release names them,
 * and their digests are unknown before it. All other images are foreign, and have a digest.
 */
export const OUR_IMAGES: ReadonlySet<string> = new Set(["holdfast", "simulators"]);

/** Foreign images have a digest; the product's are all of one version, which the Jobs have in their names. */
export function imagesArePinned(manifests: Manifest[]): string[] {
  const all = workloads(manifests);
  const ours = all.flatMap((workload) => workload.pod.containers.filter(({ image }) => isOurs(image)));
  const versions = new Set(ours.map(({ image }) => tagOf(image)));
  return [
    ...all.flatMap((workload) =>
      containers(workload).flatMap(({ image }) =>
        faultOf(image).map((fault) => `${workload.name}: ${fault}`),
      ),
    ),
    ...ofKind(manifests, "Cluster").flatMap(({ spec }) =>
      faultOf(spec.imageName as string).map((fault) => `Cluster: ${fault}`),
    ),
    ...(versions.size > 1 ? [`images of several versions: ${[...versions].join(", ")}`] : []),
    ...workloads(manifests, "Job").flatMap(jobIsOfItsVersion),
  ];
}

/** The places that name images beside the manifests. */
export type ImageSources = {
  /** docker-compose.yml: each service's `image`, with its variables. */
  compose: Record<string, string>;
  /** The text of the Dockerfile. */
  dockerfile: string;
  /** deploy/compose/images.env: image by name. */
  digests: Record<string, string>;
};

/**
 * Finds foreign images without a digest. An image has its digest beside it, or is a variable for which
 * `digests` has an image with a digest.
 */
export function namedImagesArePinned({ compose, dockerfile, digests }: ImageSources): string[] {
  const named = Object.entries(compose).map(([service, image]) => ({ where: service, image }));
  const defaults = new Map(
    [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm)].map(([, name = "", image = ""]) => [name, image]),
  );
  const stages = new Set([...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, stage]) => stage));
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)]
    .map(([, image = ""]) => image)
    .filter((image) => !stages.has(image))
    .map((image) => image.replace(/^\$\{(\w+)\}$/, (_, name: string) => `\${${name}:-${defaults.get(name)}}`))
    .map((image) => ({ where: "Dockerfile", image }));
  return [...named, ...bases].flatMap(({ where, image }) => {
    const [, name, tagged] = /^\$\{(\w+_IMAGE):-(.+)\}$/.exec(image) ?? [];
    if (name === undefined) return faultOf(image).map((fault) => `${where}: ${fault}`);
    const pinned = digests[name] ?? `${name} of images.env`;
    const differs = repositoryOf(pinned) !== repositoryOf(tagged!);
    return [
      ...faultOf(pinned),
      ...(differs ? [`${name} is ${pinned} in images.env and ${tagged} otherwise`] : []),
    ].map((fault) => `${where}: ${fault}`);
  });
}

function faultOf(image: string): string[] {
  if (/@sha256:[\da-f]{64}$/.test(image)) return [];
  // Compose gives it a variable with the version as its default.
  const version = tagOf(image.replace(/\$\{\w+:-([^}]+)\}$/, "$1"));
  if (isOurs(image) && version !== undefined && version !== "latest" && /\d/.test(version)) return [];
  return [`${image} can change under its name`];
}

function isOurs(image: string): boolean {
  const name = imageNameOf(image);
  return name !== undefined && OUR_IMAGES.has(name);
}

function jobIsOfItsVersion({ name, manifest, pod }: Workload): string[] {
  const suffix = `-${tagOf(pod.containers[0]!.image)?.replaceAll(/[^\da-z]/g, "-")}`;
  return manifest.metadata.name.endsWith(suffix)
    ? []
    : [`${name}: its name does not end in ${suffix}, and a Job that exists cannot be changed`];
}

function tagOf(image: string): string | undefined {
  return /:([\w][\w.-]*)(?:@|$)/.exec(image.split("/").at(-1)!)?.[1];
}

function repositoryOf(image: string): string | undefined {
  return image.split("@")[0]!.replace(/:[\w.-]+$/, "");
}
