import type { Generated } from "kysely";

export type ChargebackReportTable = {
  line_id: string;
  import_id: string;
  line_no: number;
  payment_id: string;
  tell_at: Generated<Date | null>;
};
