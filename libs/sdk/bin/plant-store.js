#!/usr/bin/env node
import '../dist/cli/plant-store.js';
