import { z } from "zod";

/** A field that the gateway adds to the services' records. */
export const merchantName = z.string().optional().meta({ description: "Name of the merchant" });
