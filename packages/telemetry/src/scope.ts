import { metrics, trace, type Meter, type Tracer } from "@opentelemetry/api";
import { VERSION } from "./version.ts";

/** The semantic conventions that names follow which do not begin with `holdfast.`. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.45.0";

/** @param part the package or the service whose instruments these are. */
export function meterOf(part: string): Meter {
  return metrics.getMeter(part, VERSION, { schemaUrl: SCHEMA_URL });
}

/** A tracer that is kept belongs to the SDK that it was first used with, and a process of tests has one after another. */
export function currentTracer(): Tracer {
  return trace.getTracerProvider().getTracer("holdfast", VERSION, { schemaUrl: SCHEMA_URL });
}
