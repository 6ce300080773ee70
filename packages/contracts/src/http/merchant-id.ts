import { z } from "zod";

/** The id of the merchant that a record belongs to, a UUID; that of its test mode is the same. */
export const merchantIdSchema = z.uuid().meta({ description: "Id of the merchant that it belongs to" });
