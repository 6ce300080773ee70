import { customResourceSchemas } from "./custom-resource-schemas.ts";
import type { Manifest } from "./manifest.ts";

/**
 * Lists the parts of a manifest that Kubernetes' schema refuses: wrong types, missing fields, and unknown
 * fields, which the API server would drop with a warning at most.
 *
 * `kubernetes-models` validates Kubernetes' own kinds, with functions generated from Kubernetes' OpenAPI
 * document. The functions accept unknown fields, but read every known one. A field of the manifest that was
 * never read is therefore unknown to the schema.
 */
export async function validateManifest(manifest: Manifest): Promise<string[]> {
  const custom = customResourceSchemas[`${manifest.apiVersion}/${manifest.kind}`];
  if (custom) {
    const { error } = custom.safeParse(manifest);
    return (error?.issues ?? []).map(({ path, message }) => `/${path.join("/")}: ${message}`);
  }
  const validate = await validatorOf(manifest);
  if (!validate) return [`no schema for ${manifest.apiVersion} ${manifest.kind}`];
  const { watched, unread } = watchReads(manifest);
  validate(watched);
  return [
    ...(validate.errors ?? []).map(
      ({ instancePath, message, keyword }) => `${instancePath}: ${message ?? keyword}`,
    ),
    ...unread().map((path) => `${path}: unknown field`),
  ];
}

type Validator = ((data: unknown) => boolean) & {
  errors?: { instancePath: string; keyword: string; message?: string }[] | null;
};

async function validatorOf({ apiVersion, kind }: Manifest): Promise<Validator | undefined> {
  const [version = "", group] = apiVersion.split("/").toReversed();
  const words = group ? [group.split(".")[0]!, version] : ["core", version];
  const name = ["IoK8sApi", ...words.map(capitalized), kind].join("");
  try {
    return ((await import(`kubernetes-models/_schemas/${name}`)) as { validate: Validator }).validate;
  } catch {
    return undefined;
  }
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** A view of `data` that notes which of its fields are read. */
function watchReads(data: object): { watched: object; unread: () => string[] } {
  const reads = new Map<object, Set<PropertyKey>>();
  const views = new Map<object, object>();
  const view = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const known = views.get(value);
    if (known) return known;
    const read = new Set<PropertyKey>();
    const made = new Proxy(value, {
      get(target, key, receiver) {
        read.add(key);
        return view(Reflect.get(target, key, receiver));
      },
    });
    reads.set(value, read);
    views.set(value, made);
    return made;
  };
  const missed = (value: unknown, path: string): string[] => {
    if (typeof value !== "object" || value === null) return [];
    const read = reads.get(value);
    // Never looked into: something that may hold anything, such as the value of a map.
    if (!read || read.size === 0) return [];
    return Object.entries(value).flatMap(([key, item]) =>
      read.has(key) ? missed(item, `${path}/${key}`) : [`${path}/${key}`],
    );
  };
  return { watched: view(data) as object, unread: () => missed(data, "") };
}
