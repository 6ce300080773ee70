import { envOf, ofKind, workloads, type Manifest } from "../manifest.ts";

/** In production a token proves a second factor, whoever's it is, and every process that takes tokens asks for the proof. */
export function secondFactorsAreRequired(
  manifests: Manifest[],
  { production }: { production: boolean },
): string[] {
  const settings = ofKind(manifests, "ConfigMap").flatMap(({ data }) => (data?.["NATS_URL"] ? [data] : []));
  return [
    ...settings.flatMap((data) =>
      PEOPLE.map((kind) => `${kind}_REQUIRED_AMR`)
        .filter((name) => production && !data[name])
        .map((name) => `${name} names no second factor`),
    ),
    ...workloads(manifests).flatMap(({ name, pod }) =>
      pod.containers.flatMap((container) => {
        const env = envOf(container);
        return PEOPLE.filter((kind) => env.has(`${kind}_JWKS`) && !env.has(`${kind}_REQUIRED_AMR`)).map(
          (kind) => `${name}: takes tokens without ${kind}_REQUIRED_AMR`,
        );
      }),
    ),
  ];
}

const PEOPLE = ["OPERATOR", "STAFF"] as const;
