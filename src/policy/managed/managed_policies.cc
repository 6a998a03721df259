#include "policy/managed_policies.h"

namespace armature::policy {

namespace {

constexpr std::string_view kAdministratorAccess = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": "*",
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kPowerUserAccess = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "NotAction": ["iam:*", "organizations:*", "account:*"],
            "Resource": "*"
        },
        {
            "Effect": "Allow",
            "Action": [
                "account:GetAccountInformation",
                "account:ListRegions",
                "iam:CreateServiceLinkedRole",
                "iam:DeleteServiceLinkedRole",
                "iam:ListRoles",
                "organizations:DescribeOrganization"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kReadOnlyAccess = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "ReadOnlyActions",
            "Effect": "Allow",
            "Action": [
                "application-autoscaling:Describe*",
                "application-autoscaling:ListTagsForResource",
                "cloudwatch:Describe*",
                "cloudwatch:Get*",
                "cloudwatch:List*",
                "dax:BatchGetItem",
                "dax:Describe*",
                "dax:GetItem",
                "dax:ListTags",
                "dax:Query",
                "dax:Scan",
                "dynamodb:BatchGet*",
                "dynamodb:Describe*",
                "dynamodb:Get*",
                "dynamodb:List*",
                "dynamodb:PartiQLSelect",
                "dynamodb:Query",
                "dynamodb:Scan",
                "iam:Generate*",
                "iam:Get*",
                "iam:List*",
                "iam:Simulate*",
                "kinesis:Describe*",
                "kinesis:Get*",
                "kinesis:List*",
                "kms:Describe*",
                "kms:Get*",
                "kms:List*",
                "lambda:Get*",
                "lambda:List*",
                "logs:Describe*",
                "logs:Get*",
                "s3:Get*",
                "s3:List*",
                "sts:GetAccessKeyInfo",
                "sts:GetCallerIdentity",
                "sts:GetSessionToken",
                "tag:Get*"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kSecurityAudit = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "BaseSecurityAuditStatement",
            "Effect": "Allow",
            "Action": [
                "application-autoscaling:Describe*",
                "cloudwatch:Describe*",
                "dax:Describe*",
                "dax:ListTags",
                "dynamodb:Describe*",
                "dynamodb:List*",
                "iam:GenerateCredentialReport",
                "iam:GenerateServiceLastAccessedDetails",
                "iam:Get*",
                "iam:List*",
                "iam:SimulateCustomPolicy",
                "iam:SimulatePrincipalPolicy",
                "kinesis:Describe*",
                "kinesis:List*",
                "kms:Describe*",
                "kms:Get*",
                "kms:List*",
                "lambda:GetPolicy",
                "lambda:List*",
                "logs:Describe*",
                "s3:GetBucket*",
                "s3:GetEncryptionConfiguration",
                "s3:ListAllMyBuckets",
                "tag:GetResources",
                "tag:GetTagKeys"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kAmazonDynamoDBFullAccess = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Action": [
                "dynamodb:*",
                "dax:*",
                "application-autoscaling:DeleteScalingPolicy",
                "application-autoscaling:DeregisterScalableTarget",
                "application-autoscaling:DescribeScalableTargets",
                "application-autoscaling:DescribeScalingActivities",
                "application-autoscaling:DescribeScalingPolicies",
                "application-autoscaling:PutScalingPolicy",
                "application-autoscaling:RegisterScalableTarget",
                "cloudwatch:DeleteAlarms",
                "cloudwatch:DescribeAlarmHistory",
                "cloudwatch:DescribeAlarms",
                "cloudwatch:DescribeAlarmsForMetric",
                "cloudwatch:GetMetricStatistics",
                "cloudwatch:ListMetrics",
                "cloudwatch:PutMetricAlarm",
                "cloudwatch:GetMetricData",
                "datapipeline:ActivatePipeline",
                "datapipeline:CreatePipeline",
                "datapipeline:DeletePipeline",
                "datapipeline:DescribeObjects",
                "datapipeline:DescribePipelines",
                "datapipeline:GetPipelineDefinition",
                "datapipeline:ListPipelines",
                "datapipeline:PutPipelineDefinition",
                "datapipeline:QueryObjects",
                "ec2:DescribeVpcs",
                "ec2:DescribeSubnets",
                "ec2:DescribeSecurityGroups",
                "iam:GetRole",
                "iam:ListRoles",
                "kms:DescribeKey",
                "kms:ListAliases",
                "sns:CreateTopic",
                "sns:DeleteTopic",
                "sns:ListSubscriptions",
                "sns:ListSubscriptionsByTopic",
                "sns:ListTopics",
                "sns:Subscribe",
                "sns:Unsubscribe",
                "sns:SetTopicAttributes",
                "lambda:CreateFunction",
                "lambda:ListFunctions",
                "lambda:ListEventSourceMappings",
                "lambda:CreateEventSourceMapping",
                "lambda:DeleteEventSourceMapping",
                "lambda:GetFunctionConfiguration",
                "lambda:DeleteFunction",
                "resource-groups:ListGroups",
                "resource-groups:ListGroupResources",
                "resource-groups:GetGroup",
                "resource-groups:GetGroupQuery",
                "resource-groups:DeleteGroup",
                "resource-groups:CreateGroup",
                "tag:GetResources",
                "kinesis:ListStreams",
                "kinesis:DescribeStream",
                "kinesis:DescribeStreamSummary"
            ],
            "Effect": "Allow",
            "Resource": "*"
        },
        {
            "Action": "cloudwatch:GetInsightRuleReport",
            "Effect": "Allow",
            "Resource": "arn:aws:cloudwatch:*:*:insight-rule/DynamoDBContributorInsights*"
        },
        {
            "Action": ["iam:PassRole"],
            "Effect": "Allow",
            "Resource": "*",
            "Condition": {
                "StringLike": {
                    "iam:PassedToService": [
                        "application-autoscaling.amazonaws.com",
                        "application-autoscaling.amazonaws.com.cn",
                        "dax.amazonaws.com"
                    ]
                }
            }
        },
        {
            "Effect": "Allow",
            "Action": ["iam:CreateServiceLinkedRole"],
            "Resource": "*",
            "Condition": {
                "StringEquals": {
                    "iam:AWSServiceName": [
                        "replication.dynamodb.amazonaws.com",
                        "dax.amazonaws.com",
                        "dynamodb.application-autoscaling.amazonaws.com",
                        "contributorinsights.dynamodb.amazonaws.com",
                        "kinesisreplication.dynamodb.amazonaws.com"
                    ]
                }
            }
        }
    ]
})";

constexpr std::string_view kAmazonDynamoDBFullAccessV2 = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "GeneralPermissions",
            "Effect": "Allow",
            "Action": [
                "dynamodb:*",
                "dax:*",
                "application-autoscaling:DescribeScalableTargets",
                "application-autoscaling:DescribeScalingActivities",
                "application-autoscaling:DescribeScalingPolicies",
                "cloudwatch:DescribeAlarmHistory",
                "cloudwatch:DescribeAlarms",
                "cloudwatch:DescribeAlarmsForMetric",
                "cloudwatch:GetMetricData",
                "cloudwatch:GetMetricStatistics",
                "cloudwatch:ListMetrics",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcs",
                "iam:GetRole",
                "iam:ListRoles",
                "kinesis:DescribeStreamSummary",
                "kinesis:ListStreams",
                "kms:DescribeKey",
                "kms:ListAliases",
                "lambda:GetFunctionConfiguration",
                "lambda:ListEventSourceMappings",
                "lambda:ListFunctions",
                "sns:ListSubscriptions",
                "sns:ListTopics",
                "tag:GetResources"
            ],
            "Resource": "*"
        },
        {
            "Sid": "AutoScalingPermissions",
            "Effect": "Allow",
            "Action": [
                "application-autoscaling:DeleteScalingPolicy",
                "application-autoscaling:DeregisterScalableTarget",
                "application-autoscaling:PutScalingPolicy",
                "application-autoscaling:RegisterScalableTarget"
            ],
            "Resource": "*",
            "Condition": {
                "StringEquals": {
                    "application-autoscaling:service-namespace": "dynamodb"
                }
            }
        },
        {
            "Sid": "InsightReportPermissions",
            "Effect": "Allow",
            "Action": "cloudwatch:GetInsightRuleReport",
            "Resource": "arn:aws:cloudwatch:*:*:insight-rule/DynamoDBContributorInsights*"
        },
        {
            "Sid": "ServiceLinkedRolePermissions",
            "Effect": "Allow",
            "Action": "iam:CreateServiceLinkedRole",
            "Resource": "*",
            "Condition": {
                "StringEquals": {
                    "iam:AWSServiceName": [
                        "replication.dynamodb.amazonaws.com",
                        "dax.amazonaws.com",
                        "dynamodb.application-autoscaling.amazonaws.com",
                        "contributorinsights.dynamodb.amazonaws.com",
                        "kinesisreplication.dynamodb.amazonaws.com"
                    ]
                }
            }
        }
    ]
})";

constexpr std::string_view kAmazonDynamoDBReadOnlyAccess = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "GeneralPermissions",
            "Effect": "Allow",
            "Action": [
                "application-autoscaling:DescribeScalableTargets",
                "application-autoscaling:DescribeScalingActivities",
                "application-autoscaling:DescribeScalingPolicies",
                "cloudwatch:DescribeAlarmHistory",
                "cloudwatch:DescribeAlarms",
                "cloudwatch:DescribeAlarmsForMetric",
                "cloudwatch:GetMetricData",
                "cloudwatch:GetMetricStatistics",
                "cloudwatch:ListMetrics",
                "datapipeline:DescribeObjects",
                "datapipeline:DescribePipelines",
                "datapipeline:GetPipelineDefinition",
                "datapipeline:ListPipelines",
                "datapipeline:QueryObjects",
                "dynamodb:BatchGetItem",
                "dynamodb:Describe*",
                "dynamodb:List*",
                "dynamodb:GetAbacStatus",
                "dynamodb:GetItem",
                "dynamodb:GetResourcePolicy",
                "dynamodb:Query",
                "dynamodb:Scan",
                "dynamodb:PartiQLSelect",
                "dax:Describe*",
                "dax:List*",
                "dax:GetItem",
                "dax:BatchGetItem",
                "dax:Query",
                "dax:Scan",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcs",
                "iam:GetRole",
                "iam:ListRoles",
                "kinesis:DescribeStream",
                "kinesis:DescribeStreamSummary",
                "kinesis:ListStreams",
                "kms:DescribeKey",
                "kms:ListAliases",
                "lambda:GetFunctionConfiguration",
                "lambda:ListEventSourceMappings",
                "lambda:ListFunctions",
                "resource-groups:GetGroup",
                "resource-groups:GetGroupQuery",
                "resource-groups:ListGroupResources",
                "resource-groups:ListGroups",
                "sns:ListSubscriptionsByTopic",
                "sns:ListTopics",
                "tag:GetResources"
            ],
            "Resource": "*"
        },
        {
            "Sid": "CCIPermissions",
            "Effect": "Allow",
            "Action": "cloudwatch:GetInsightRuleReport",
            "Resource": "arn:aws:cloudwatch:*:*:insight-rule/DynamoDBContributorInsights*"
        }
    ]
})";

constexpr std::string_view kAWSLambdaDynamoDBExecutionRole = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": [
                "dynamodb:DescribeStream",
                "dynamodb:GetRecords",
                "dynamodb:GetShardIterator",
                "dynamodb:ListStreams",
                "logs:CreateLogGroup",
                "logs:CreateLogStream",
                "logs:PutLogEvents"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kAWSLambdaInvocationDynamoDB = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": ["lambda:InvokeFunction"],
            "Resource": ["*"]
        },
        {
            "Effect": "Allow",
            "Action": [
                "dynamodb:DescribeStream",
                "dynamodb:GetRecords",
                "dynamodb:GetShardIterator",
                "dynamodb:ListStreams"
            ],
            "Resource": ["*"]
        }
    ]
})";

constexpr std::string_view kAutoscalingTablePolicy = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": [
                "dynamodb:DescribeTable",
                "dynamodb:UpdateTable",
                "cloudwatch:PutMetricAlarm",
                "cloudwatch:DescribeAlarms",
                "cloudwatch:DeleteAlarms"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kReplicationPolicy = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "DynamoDBActionsNeededForSteadyStateReplication",
            "Effect": "Allow",
            "Action": [
                "dynamodb:GetItem",
                "dynamodb:PutItem",
                "dynamodb:UpdateItem",
                "dynamodb:DeleteItem",
                "dynamodb:DescribeTable",
                "dynamodb:UpdateTable",
                "dynamodb:Scan",
                "dynamodb:DescribeStream",
                "dynamodb:GetRecords",
                "dynamodb:GetShardIterator",
                "dynamodb:DescribeTimeToLive",
                "dynamodb:UpdateTimeToLive",
                "dynamodb:DescribeLimits",
                "dynamodb:GetResourcePolicy",
                "application-autoscaling:RegisterScalableTarget",
                "application-autoscaling:DescribeScalableTargets",
                "application-autoscaling:PutScalingPolicy",
                "application-autoscaling:DescribeScalingPolicies",
                "account:ListRegions"
            ],
            "Resource": "*"
        },
        {
            "Sid": "DynamoDBReplicationServiceRolePolicy",
            "Effect": "Allow",
            "Action": ["iam:CreateServiceLinkedRole"],
            "Resource": "*",
            "Condition": {
                "StringEquals": {
                    "iam:AWSServiceName": ["dynamodb.application-autoscaling.amazonaws.com"]
                }
            }
        }
    ]
})";

constexpr std::string_view kKinesisReplicationPolicy = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": "kms:GenerateDataKey",
            "Resource": "*",
            "Condition": {
                "StringLike": {
                    "kms:ViaService": "kinesis.*.amazonaws.com"
                }
            }
        },
        {
            "Effect": "Allow",
            "Action": [
                "kinesis:PutRecord",
                "kinesis:PutRecords",
                "kinesis:DescribeStream"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kContributorInsightsPolicy = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": [
                "cloudwatch:DeleteInsightRules",
                "cloudwatch:PutInsightRule"
            ],
            "Resource": "arn:aws:cloudwatch:*:*:insight-rule/DynamoDBContributorInsights*"
        },
        {
            "Effect": "Allow",
            "Action": "cloudwatch:DescribeInsightRules",
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kGlobalTableSettingsPolicy = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": [
                "application-autoscaling:DeleteScalingPolicy",
                "application-autoscaling:DeregisterScalableTarget",
                "application-autoscaling:DescribeScalableTargets",
                "application-autoscaling:DescribeScalingPolicies",
                "application-autoscaling:PutScalingPolicy",
                "application-autoscaling:RegisterScalableTarget"
            ],
            "Resource": "*",
            "Condition": {
                "StringEqualsIfExists": {
                    "application-autoscaling:service-namespace": "dynamodb"
                }
            }
        },
        {
            "Effect": "Allow",
            "Action": [
                "cloudwatch:DeleteAlarms",
                "cloudwatch:DescribeAlarms",
                "cloudwatch:PutMetricAlarm",
                "dynamodb:DescribeTable",
                "dynamodb:UpdateTable"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr std::string_view kDaxPolicy = R"({
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "DaxServiceRole",
            "Effect": "Allow",
            "Action": [
                "ec2:AuthorizeSecurityGroupIngress",
                "ec2:CreateNetworkInterface",
                "ec2:CreateSecurityGroup",
                "ec2:DeleteNetworkInterface",
                "ec2:DeleteSecurityGroup",
                "ec2:DescribeAvailabilityZones",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcs",
                "ec2:ModifyNetworkInterfaceAttribute",
                "ec2:RevokeSecurityGroupIngress"
            ],
            "Resource": "*"
        }
    ]
})";

constexpr ManagedPolicy kPolicies[] = {
    {"AdministratorAccess", "/", "v1", "Provides full access to AWS services and resources.", kAdministratorAccess},
    {"PowerUserAccess", "/", "v1",
     "Provides full access to AWS services and resources, but does not allow management of Users and groups.",
     kPowerUserAccess},
    {"ReadOnlyAccess", "/", "v1", "Provides read-only access to AWS services and resources.", kReadOnlyAccess},
    {"SecurityAudit", "/", "v1", "Provides access to read the security configuration of services and resources.",
     kSecurityAudit},
    {"AmazonDynamoDBFullAccess", "/", "v15", "Provides full access to Amazon DynamoDB.", kAmazonDynamoDBFullAccess},
    {"AmazonDynamoDBFullAccess_v2", "/", "v3", "Provides full access to Amazon DynamoDB.", kAmazonDynamoDBFullAccessV2},
    {"AmazonDynamoDBReadOnlyAccess", "/", "v15", "Provides read-only access to Amazon DynamoDB.",
     kAmazonDynamoDBReadOnlyAccess},
    {"AWSLambdaDynamoDBExecutionRole", "/service-role/", "v1",
     "Provides list and read access to DynamoDB streams and write permissions to CloudWatch logs.",
     kAWSLambdaDynamoDBExecutionRole},
    {"AWSLambdaInvocation-DynamoDB", "/", "v1", "Provides read access to DynamoDB Streams and invocation of functions.",
     kAWSLambdaInvocationDynamoDB},
    {"AWSApplicationAutoscalingDynamoDBTablePolicy", "/aws-service-role/", "v1",
     "Lets Application Auto Scaling change the capacity of DynamoDB tables.", kAutoscalingTablePolicy},
    {"DynamoDBReplicationServiceRolePolicy", "/aws-service-role/", "v8",
     "Permissions required by DynamoDB for cross-region data replication", kReplicationPolicy},
    {"DynamoDBKinesisReplicationServiceRolePolicy", "/aws-service-role/", "v1",
     "Lets DynamoDB send the changes of tables to Kinesis data streams.", kKinesisReplicationPolicy},
    {"DynamoDBCloudWatchContributorInsightsServiceRolePolicy", "/aws-service-role/", "v1",
     "Lets DynamoDB keep the rules of CloudWatch Contributor Insights.", kContributorInsightsPolicy},
    {"DynamoDBGlobalTableSettingsManagementServiceRolePolicy", "/aws-service-role/", "v6",
     "Lets DynamoDB keep the auto scaling settings of replicas.", kGlobalTableSettingsPolicy},
    {"DAXServiceRolePolicy", "/aws-service-role/", "v1",
     "Lets DynamoDB Accelerator keep network interfaces and security groups.", kDaxPolicy},
};

}  // namespace

std::string ManagedPolicy::Arn() const { return std::string("arn:aws:iam::aws:policy").append(path).append(name); }

std::span<const ManagedPolicy> ManagedPolicies() { return kPolicies; }

}  // namespace armature::policy
