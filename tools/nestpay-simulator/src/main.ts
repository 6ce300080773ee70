import { runSimulator } from "@holdfast/simulator-kit";

import { readConfig } from "./config.ts";
import { startNestpaySimulator } from "./nestpay-simulator.ts";

await runSimulator(readConfig, startNestpaySimulator);
