import {
  defaultResource,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
  type ResourceDetector,
} from "@opentelemetry/resources";
import { VERSION } from "./version.ts";

/** The identity of this process, which wins over the detectors' findings. */
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
 * The detectors used when the environment names none. The SDK's own choice would show all readers of `/metrics` the
 * machine's id, the user and the command line.
 */
export const DETECTORS: ResourceDetector[] = [serviceInstanceIdDetector, envDetector];
