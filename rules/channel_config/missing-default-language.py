"""Configuration with texts but without a default language.

A customer whose language has no text is served in the default language. Without one the runtime chooses, and its choice
may change between releases.

Basis: channel-config, OperationsConfig: "Default language for serving customers."

Good, as OperationsConfig:

    defaultLanguageCode: en
    greetings:
      - {languageCode: en, greetingPhrases: [Hello]}

Good, as OperationsConfig:

    upsellStrategy:
      upsells:
        - priority: 1
          celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}

Bad:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
    operationsConfig:  # <- there are greetings but no defaultLanguageCode
      greetings:
        - {languageCode: en, greetingPhrases: [Hello]}
        - {languageCode: de, greetingPhrases: [Hallo]}

Bad:

    kind: ChannelConfig
    type: UPSELL_STRATEGY
    operationsConfig:  # <- there are offers but no defaultLanguageCode
      upsellStrategy:
        upsells:
          - priority: 1
            greetingOffer:
              messages:
                - {upsoldItems: [Fries], messageConfigs: [{languageCode: en, messageText: Fries?}]}
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.languages import spoken_offers
from trialrun.model.channel_config import OperationsConfig


@rule(OperationsConfig, severity=Severity.NOTE, absence=True)
def check(operations: OperationsConfig) -> Findings:
    """Flag an operational strategy that speaks and has no default language."""
    if operations.has("defaultLanguageCode"):
        return
    strategy = operations.upsellStrategy
    spoken = [
        *(["greetings"] if operations.greetings else []),
        *(["offers"] if strategy and any(spoken_offers(strategy)) else []),
    ]
    if spoken:
        yield operations.finding(None, f"there are {' and '.join(spoken)} but no defaultLanguageCode; add it")
