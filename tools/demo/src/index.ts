export { printConsoleWalk } from "./console-walk.ts";
export { runMerchantDay } from "./merchant-day.ts";
