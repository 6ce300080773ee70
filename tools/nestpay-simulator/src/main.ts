import { runSimulator } from "@holdfast/bank-simulator/core";

import { readConfig } from "./config.ts";
import { startNestpaySimulator } from "./nestpay-simulator.ts";

await runSimulator(readConfig, startNestpaySimulator);
