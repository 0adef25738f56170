import { cases } from './cases.ts';
import { provePublish } from './suite.ts';

provePublish(cases);
