import { z } from "zod";

/**
 * The id of the merchant that a record belongs to, a UUID. The merchant's records in test mode have it, too.
 */
export const merchantIdSchema = z.uuid().meta({ description: "Id of the merchant that it belongs to" });
