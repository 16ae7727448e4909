/** Nest on Express with AuthGuard and its body parser, and no store: what most teams would pick. */
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Body, Controller, HttpCode, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Strategy } from 'passport-http-bearer';

class BearerStrategy extends PassportStrategy(Strategy) {
  validate(token: string): boolean {
    return token === process.argv[2];
  }
}

@Controller('plant/webhook')
class PlantController {
  @Post()
  @HttpCode(204)
  @UseGuards(AuthGuard('bearer'))
  receive(@Body() plant: unknown): void {
    if (plant === undefined) throw new Error('no content');
  }
}

@Module({ controllers: [PlantController], providers: [BearerStrategy] })
class PlantModule {}

const app = await NestFactory.create<NestExpressApplication>(PlantModule, { logger: false });
await app.listen(0, '127.0.0.1');
process.send!((app.getHttpServer().address() as AddressInfo).port);
process.once('disconnect', () => process.exit());
