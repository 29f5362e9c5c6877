/**
 * What an application gives to a deployment. The classes are named beside their interfaces, because a project with
 * exactOptionalPropertyTypes cannot assign the one to the other: optional properties of the CDK's classes may be undefined,
 * those of its interfaces may not.
 */
import type { ITable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { EventBus, IEventBus } from 'aws-cdk-lib/aws-events';
import type { Alias, IFunction, IVersion, Version } from 'aws-cdk-lib/aws-lambda';
import type { ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';

/** A table, made in this app or imported. */
export type AnyTable = ITable | TableV2;
/** A secret, made in this app or imported. */
export type AnySecret = ISecret | Secret;
/** A bus of events, made in this app or imported. */
export type AnyEventBus = IEventBus | EventBus;
/** A function or an alias of one, made in this app or imported. */
export type AnyFunction = IFunction | Alias;
/** A VPC, made in this app or imported. */
export type AnyVpc = IVpc | Vpc;

/** The VPC as the interface that properties of the CDK take. */
export function vpcOf(vpc: AnyVpc): IVpc {
  if (isVpc(vpc)) return vpc;
  throw new TypeError('The property `vpc` is not a VPC.');
}

/** The bus as the interface that properties of the CDK take. */
export function busOf(bus: AnyEventBus): IEventBus {
  if (isBus(bus)) return bus;
  throw new TypeError('The property `eventBus` is not a bus of events.');
}

const isBus = (bus: AnyEventBus): bus is IEventBus => 'eventBusArn' in bus;

const isVpc = (vpc: AnyVpc): vpc is IVpc => 'vpcId' in vpc;

/** The function as the interface that properties of the CDK take. */
export function functionOf(given: AnyFunction): IFunction {
  if (isFunction(given)) return given;
  throw new TypeError('The property `function` is not a function.');
}

const isFunction = (given: AnyFunction): given is IFunction => 'functionArn' in given;

/** The version as the interface that properties of the CDK take. */
export function versionOf(given: Version): IVersion {
  if (isVersion(given)) return given;
  throw new TypeError('This is not a version of a function.');
}

const isVersion = (given: IVersion | Version): given is IVersion => 'version' in given;
