#!/usr/bin/env node
import { answers } from '@plant-store/contract';
import { plantStore } from '../dist/cli/plant-store.js';

await plantStore(answers);
