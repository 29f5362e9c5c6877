import * as cdk from 'aws-cdk-lib';
import { ShopStack } from '../lib/shop-stack.ts';

new ShopStack(new cdk.App(), 'Shop');
