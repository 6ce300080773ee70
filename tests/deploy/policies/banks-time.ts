import type { z } from "zod";
import { envOf, serviceOf, workloads, type Manifest } from "../manifest.ts";
import type { ConfigSchemas } from "./settings.ts";

/** The processes that wait for a bank, or for one that does, get one number from one place. */
export function lacksBanksTime(schema: z.ZodObject, given: Iterable<string>): boolean {
  return "ACQUIRER_TIMEOUT" in schema.shape && !new Set(given).has("ACQUIRER_TIMEOUT");
}

/** All Deployments wait equally long for banks: one without the setting would use the default. */
export function allWaitAsLongForBanks(manifests: Manifest[], schemas: ConfigSchemas): string[] {
  return workloads(manifests, "Deployment").flatMap(({ name, pod }) =>
    pod.containers.flatMap((container) => {
      const schema = schemas[`${serviceOf(container)}`];
      return schema && lacksBanksTime(schema, envOf(container).keys())
        ? [`${name}: has a time of its own for banks`]
        : [];
    }),
  );
}
