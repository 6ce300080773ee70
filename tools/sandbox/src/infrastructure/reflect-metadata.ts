// @peculiar/x509 finds its algorithms through a dependency container that refuses to load without the
// decorator metadata functions on Reflect. It stores next to nothing there, so these lines replace a polyfill
// of 50 KB.
type Metadata = Map<unknown, unknown>;
type MetadataReflect = {
  getMetadata?: (key: unknown, target: object) => unknown;
  getOwnMetadata?: (key: unknown, target: object) => unknown;
  defineMetadata?: (key: unknown, value: unknown, target: object) => void;
};

const metadataOf = new WeakMap<object, Metadata>();
const reflect = Reflect as MetadataReflect;

if (!reflect.getMetadata) {
  reflect.getOwnMetadata = (key, target) => metadataOf.get(target)?.get(key);
  reflect.getMetadata = (key, target) => {
    for (let owner: object | null = target; owner; owner = Object.getPrototypeOf(owner) as object | null) {
      if (metadataOf.get(owner)?.has(key)) return metadataOf.get(owner)?.get(key);
    }
    return undefined;
  };
  reflect.defineMetadata = (key, value, target) => {
    const metadata = metadataOf.get(target) ?? new Map();
    metadataOf.set(target, metadata.set(key, value));
  };
}
