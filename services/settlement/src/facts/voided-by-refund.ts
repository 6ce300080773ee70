import { sql } from "kysely";

/** SQL on a row of `fact`: a refund has given the whole payment back by a void, so that the bank may report nothing. */
export const VOIDED_BY_REFUND = sql`exists (
  select from fact as refund where refund.parent_id = fact.fact_id and refund.voids)`;
