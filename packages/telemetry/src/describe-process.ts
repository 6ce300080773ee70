import {
  defaultResource,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
  type ResourceDetector,
} from "@opentelemetry/resources";
import { VERSION } from "./version.ts";

/** Who this process is; what detectors find goes over it. */
export function describeProcess(name: string): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      "service.name": name,
      "service.namespace": "holdfast",
      "service.version": VERSION,
    }),
  );
}

/**
 * What of the environment is found when it names no detectors. The SDK's own choice would show all readers of
 * `/metrics` the machine's id, the user and the command line.
 */
export const DETECTORS: ResourceDetector[] = [serviceInstanceIdDetector, envDetector];
