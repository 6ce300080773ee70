export { runMerchantDay } from "./merchant-day.ts";
